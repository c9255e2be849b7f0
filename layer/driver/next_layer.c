/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of OpenCL that the library calls, one line each; the linker
 * says so if it comes to call another.
 */
#include "layer/driver/next_layer.h"

#include <stddef.h>

const cl_icd_dispatch *_Atomic next_layer;

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint num_devices,
        const cl_device_id *device_list, const char *options,
        void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data),
        void *user_data)
{
    return next_layer->clBuildProgram(
            program, num_devices, device_list, options, pfn_notify, user_data);
}

cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint num_devices,
        const cl_device_id *device_list, const char *options,
        cl_uint num_input_headers, const cl_program *input_headers,
        const char **header_include_names,
        void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data),
        void *user_data)
{
    return next_layer->clCompileProgram(program, num_devices, device_list,
            options, num_input_headers, input_headers, header_include_names,
            pfn_notify, user_data);
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags,
        size_t size, void *host_ptr, cl_int *errcode_ret)
{
    return next_layer->clCreateBuffer(
            context, flags, size, host_ptr, errcode_ret);
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context,
        cl_device_id device, cl_command_queue_properties properties,
        cl_int *errcode_ret)
{
    return next_layer->clCreateCommandQueue(
            context, device, properties, errcode_ret);
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties,
        cl_uint num_devices, const cl_device_id *devices,
        void(CL_CALLBACK *pfn_notify)(const char *errinfo,
                const void *private_info, size_t cb, void *user_data),
        void *user_data, cl_int *errcode_ret)
{
    return next_layer->clCreateContext(properties, num_devices, devices,
            pfn_notify, user_data, errcode_ret);
}

cl_kernel CL_API_CALL clCreateKernel(
        cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    return next_layer->clCreateKernel(program, kernel_name, errcode_ret);
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context,
        cl_uint num_devices, const cl_device_id *device_list,
        const size_t *lengths, const unsigned char **binaries,
        cl_int *binary_status, cl_int *errcode_ret)
{
    return next_layer->clCreateProgramWithBinary(context, num_devices,
            device_list, lengths, binaries, binary_status, errcode_ret);
}

cl_program CL_API_CALL clCreateProgramWithIL(
        cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    return next_layer->clCreateProgramWithIL(context, il, length, errcode_ret);
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context,
        cl_uint count, const char **strings, const size_t *lengths,
        cl_int *errcode_ret)
{
    return next_layer->clCreateProgramWithSource(
            context, count, strings, lengths, errcode_ret);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue command_queue,
        cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
        size_t dst_offset, size_t size, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return next_layer->clEnqueueCopyBuffer(command_queue, src_buffer,
            dst_buffer, src_offset, dst_offset, size, num_events_in_wait_list,
            event_wait_list, event);
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue command_queue,
        cl_mem buffer, cl_bool blocking_map, cl_map_flags map_flags,
        size_t offset, size_t size, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret)
{
    return next_layer->clEnqueueMapBuffer(command_queue, buffer, blocking_map,
            map_flags, offset, size, num_events_in_wait_list, event_wait_list,
            event, errcode_ret);
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return next_layer->clEnqueueMarkerWithWaitList(
            command_queue, num_events_in_wait_list, event_wait_list, event);
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue command_queue,
        cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
        const size_t *global_work_size, const size_t *local_work_size,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return next_layer->clEnqueueNDRangeKernel(command_queue, kernel, work_dim,
            global_work_offset, global_work_size, local_work_size,
            num_events_in_wait_list, event_wait_list, event);
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue command_queue,
        cl_mem buffer, cl_bool blocking_read, size_t offset, size_t size,
        void *ptr, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return next_layer->clEnqueueReadBuffer(command_queue, buffer, blocking_read,
            offset, size, ptr, num_events_in_wait_list, event_wait_list, event);
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue command_queue,
        cl_mem memobj, void *mapped_ptr, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return next_layer->clEnqueueUnmapMemObject(command_queue, memobj,
            mapped_ptr, num_events_in_wait_list, event_wait_list, event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue command_queue,
        cl_mem buffer, cl_bool blocking_write, size_t offset, size_t size,
        const void *ptr, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return next_layer->clEnqueueWriteBuffer(command_queue, buffer,
            blocking_write, offset, size, ptr, num_events_in_wait_list,
            event_wait_list, event);
}

cl_int CL_API_CALL clFinish(cl_command_queue command_queue)
{
    return next_layer->clFinish(command_queue);
}

cl_int CL_API_CALL clFlush(cl_command_queue command_queue)
{
    return next_layer->clFlush(command_queue);
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue command_queue,
        cl_command_queue_info param_name, size_t param_value_size,
        void *param_value, size_t *param_value_size_ret)
{
    return next_layer->clGetCommandQueueInfo(command_queue, param_name,
            param_value_size, param_value, param_value_size_ret);
}

cl_int CL_API_CALL clGetContextInfo(cl_context context,
        cl_context_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetContextInfo(context, param_name, param_value_size,
            param_value, param_value_size_ret);
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform,
        cl_device_type device_type, cl_uint num_entries, cl_device_id *devices,
        cl_uint *num_devices)
{
    return next_layer->clGetDeviceIDs(
            platform, device_type, num_entries, devices, num_devices);
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device,
        cl_device_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetDeviceInfo(device, param_name, param_value_size,
            param_value, param_value_size_ret);
}

void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(
        cl_platform_id platform, const char *func_name)
{
    return next_layer->clGetExtensionFunctionAddressForPlatform(
            platform, func_name);
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx,
        cl_kernel_arg_info param_name, size_t param_value_size,
        void *param_value, size_t *param_value_size_ret)
{
    return next_layer->clGetKernelArgInfo(kernel, arg_indx, param_name,
            param_value_size, param_value, param_value_size_ret);
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetKernelInfo(kernel, param_name, param_value_size,
            param_value, param_value_size_ret);
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel,
        cl_device_id device, cl_kernel_sub_group_info param_name,
        size_t input_value_size, const void *input_value,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetKernelSubGroupInfo(kernel, device, param_name,
            input_value_size, input_value, param_value_size, param_value,
            param_value_size_ret);
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel,
        cl_device_id device, cl_kernel_work_group_info param_name,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetKernelWorkGroupInfo(kernel, device, param_name,
            param_value_size, param_value, param_value_size_ret);
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetMemObjectInfo(memobj, param_name, param_value_size,
            param_value, param_value_size_ret);
}

cl_int CL_API_CALL clGetPlatformIDs(
        cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return next_layer->clGetPlatformIDs(num_entries, platforms, num_platforms);
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
        cl_platform_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetPlatformInfo(platform, param_name, param_value_size,
            param_value, param_value_size_ret);
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program,
        cl_device_id device, cl_program_build_info param_name,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetProgramBuildInfo(program, device, param_name,
            param_value_size, param_value, param_value_size_ret);
}

cl_int CL_API_CALL clGetProgramInfo(cl_program program,
        cl_program_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return next_layer->clGetProgramInfo(program, param_name, param_value_size,
            param_value, param_value_size_ret);
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint num_devices,
        const cl_device_id *device_list, const char *options,
        cl_uint num_input_programs, const cl_program *input_programs,
        void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data),
        void *user_data, cl_int *errcode_ret)
{
    return next_layer->clLinkProgram(context, num_devices, device_list, options,
            num_input_programs, input_programs, pfn_notify, user_data,
            errcode_ret);
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue command_queue)
{
    return next_layer->clReleaseCommandQueue(command_queue);
}

cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    return next_layer->clReleaseContext(context);
}

cl_int CL_API_CALL clReleaseDevice(cl_device_id device)
{
    return next_layer->clReleaseDevice(device);
}

cl_int CL_API_CALL clRetainEvent(cl_event event)
{
    return next_layer->clRetainEvent(event);
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event,
        cl_profiling_info param_name, size_t param_value_size,
        void *param_value, size_t *param_value_size_ret)
{
    return next_layer->clGetEventProfilingInfo(event, param_name,
            param_value_size, param_value, param_value_size_ret);
}

cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    return next_layer->clReleaseEvent(event);
}

cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    return next_layer->clReleaseKernel(kernel);
}

cl_int CL_API_CALL clReleaseMemObject(cl_mem memobj)
{
    return next_layer->clReleaseMemObject(memobj);
}

cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    return next_layer->clReleaseProgram(program);
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue command_queue)
{
    return next_layer->clRetainCommandQueue(command_queue);
}

cl_int CL_API_CALL clRetainContext(cl_context context)
{
    return next_layer->clRetainContext(context);
}

cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
    return next_layer->clRetainDevice(device);
}

cl_int CL_API_CALL clRetainMemObject(cl_mem memobj)
{
    return next_layer->clRetainMemObject(memobj);
}

cl_int CL_API_CALL clRetainProgram(cl_program program)
{
    return next_layer->clRetainProgram(program);
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint arg_index,
        size_t arg_size, const void *arg_value)
{
    return next_layer->clSetKernelArg(kernel, arg_index, arg_size, arg_value);
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program,
        cl_uint spec_id, size_t spec_size, const void *spec_value)
{
    return next_layer->clSetProgramSpecializationConstant(
            program, spec_id, spec_size, spec_value);
}

cl_int CL_API_CALL clWaitForEvents(
        cl_uint num_events, const cl_event *event_list)
{
    return next_layer->clWaitForEvents(num_events, event_list);
}
